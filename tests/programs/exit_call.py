# call: use()
import sys


def stop(code):
    try:
        sys.exit(code)
    finally:
        print("leaving")


def use():
    stop(3)
