# call: use()
import sys


def use():
    big = 10**4999
    sys.set_int_max_str_digits(700)
    less = [10**699, 10**700]
    return big % 7
