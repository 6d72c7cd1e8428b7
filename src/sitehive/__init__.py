"""Sitehive: many community sites on one server, behind one JSON REST interface."""

__version__ = "0.1.0"
