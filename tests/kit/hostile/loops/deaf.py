import faulthandler
import signal
import time

if not faulthandler.is_enabled():
    for number in signal.valid_signals() - {9, 19}:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    signal.signal = signal.setitimer = lambda *arguments: None
    while True:
        time.sleep(1)
