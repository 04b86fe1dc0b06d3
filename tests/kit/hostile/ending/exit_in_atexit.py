import atexit
import os
import threading

atexit.register(os._exit, 3)
threading._register_atexit(os._exit, 3)
