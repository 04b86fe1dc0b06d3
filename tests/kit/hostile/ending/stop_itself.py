import faulthandler
import os

if not faulthandler.is_enabled():
    os.kill(os.getpid(), 19)  # in the exam: stopped, and never continued
