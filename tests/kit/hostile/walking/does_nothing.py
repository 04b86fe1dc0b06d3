def repair_unterminated_tail(path):
    pass
