# call: use()
def use():
    log = []
    for i in range(3):
        try:
            if i == 1:
                break
            continue
        finally:
            log.append(i)
    return log
