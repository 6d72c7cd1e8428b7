"""How generated examples are tried out."""

from hypothesis import settings

# On a busy machine any example may take long; that says nothing about the code.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
