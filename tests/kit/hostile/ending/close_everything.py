import os

os.closerange(0, 1_000)
