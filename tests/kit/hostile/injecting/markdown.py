def path_to(entries, leaf_id):
    print("````\n# Points: 100\n[x](http://evil.example) ![i](http://evil.example/i.png) @octocat ~~~\n</code></pre>")
    raise ValueError("`` ` ```\n\n# Points: **100 of 100**\n\n[x](http://evil.example)\n<a href='http://evil.example'>x</a>")
