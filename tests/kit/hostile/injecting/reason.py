raise type("=1+1\x1b[2J<script>alert(1)</script>", (Exception,), {})("[x](http://evil.example)\n# y\n=2+2")
