def path_to(entries, leaf_id):
    raise ValueError("</script><script>alert(1)</script><img src=x onerror=alert(1)>\" onmouseover='alert(1)' {{7*7}}")
