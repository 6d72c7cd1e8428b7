"""Where the command `sitehive` begins; `python -m sitehive` is the same."""

import sys


def main() -> None:
    try:
        from sitehive.cli import main as command_line
    except ValueError as error:  # a limit in the environment makes no sense; limits are read as modules load
        sys.exit(f"Error: {error}")
    command_line(prog_name="sitehive")


if __name__ == "__main__":
    main()
