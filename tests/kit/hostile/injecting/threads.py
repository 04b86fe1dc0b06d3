import threading
import time

name = "=1+1 <script>alert(1)</script> \x1b[2J\n# x"
threading.Thread(target=time.sleep, args=(30,), name=name, daemon=True).start()
