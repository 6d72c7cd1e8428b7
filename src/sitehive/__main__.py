"""`python -m sitehive` is the same as the command `sitehive`."""

from sitehive.cli import main

main()
