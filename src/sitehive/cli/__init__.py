"""The command line. Scripts depend on it: names, options and exit codes are stable.

Exit codes: 0 done, 1 refused with a one-line reason, 2 wrong usage.
"""

import click

from sitehive import __version__
from sitehive.cli.serve import serve
from sitehive.cli.sites import site
from sitehive.cli.tokens import token
from sitehive.cli.upkeep import doctor, migrate, openapi
from sitehive.cli.users import user


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """Many community sites on one server, behind one JSON REST interface."""


for command in (serve, site, user, token, migrate, doctor, openapi):
    main.add_command(command)
