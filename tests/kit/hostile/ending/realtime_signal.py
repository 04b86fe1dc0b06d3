import os

os.kill(os.getpid(), 40)  # a signal without a name
