"""`python -m symrob.certify FILE`: the checker of certificates, alone."""

import sys

from symrob.certify.certificate import main

sys.exit(main(sys.argv[1:]))
