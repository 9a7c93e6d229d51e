"""`python -m rag`: the command line."""

import sys


def run() -> int:
    """Run the command line; Ctrl-C while it is still loading is no accident to report either."""
    try:
        from rag.cli import main

        return main(sys.argv[1:])
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(run())
