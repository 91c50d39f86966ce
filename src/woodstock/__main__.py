"""`python -m woodstock` is the command `woodstock`."""

import sys

from woodstock.cli import main

if __name__ == "__main__":
    sys.exit(main())
