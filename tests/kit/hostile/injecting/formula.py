def path_to(entries, leaf_id):
    raise ValueError('=HYPERLINK("http://evil.example","x");=1+1\t@SUM(A1)\r\n+cmd|"/c calc"!A0')
