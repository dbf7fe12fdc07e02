"""The client of Cadastre for Python: see docs/python.md."""

from .client import Client
from .errors import CadastreError, Changed, Invalid, NotAuthenticated, NotFound
from .errors import RightMissing, TooManyRequests, Unreachable
from .resources import Imported, Put, Record, Resource, Walk, change_set_of, etag_of

__all__ = ["CadastreError", "Changed", "Client", "Imported", "Invalid", "NotAuthenticated"]
__all__ += ["NotFound", "Put", "Record", "Resource", "RightMissing", "TooManyRequests", "Unreachable"]
__all__ += ["Walk", "change_set_of", "etag_of"]
