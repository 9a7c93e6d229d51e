"""`python -m rag`: the command line."""

import sys

from rag.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
