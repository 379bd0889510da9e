class Base:
    registry = {}

    def __init_subclass__(cls, /, kind=None, **kwargs):
        super().__init_subclass__(**kwargs)
        Base.registry[kind or cls.__name__.lower()] = cls

    def __init__(self, **kwargs):
        self.log = ["Base"]
        super().__init__(**kwargs)

    def hello(self):
        return "base"


class LoudMixin:
    def hello(self):
        return super().hello().upper()


class Quiet(Base, kind="q"):
    def __init__(self, level=1, **kwargs):
        super().__init__(**kwargs)
        self.level = level
        self.log.append("Quiet")


class Loud(LoudMixin, Quiet):
    @property
    def level(self):
        return self._level

    @level.setter
    def level(self, value):
        if value < 0:
            raise ValueError(f"level {value} is negative")
        self._level = value


class Typed:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, obj, owner=None):
        return self if obj is None else obj.__dict__.get(self.name, 0)

    def __set__(self, obj, value):
        if not isinstance(value, int):
            raise TypeError(f"{self.name} must be int, not {type(value).__name__}")
        obj.__dict__[self.name] = value


class Model:
    count = Typed()

    def __getattr__(self, name):
        return f"dynamic {name}"


loud = Loud(level=5)
model = Model()
model.count = 3
errors = []
for action in (lambda: setattr(loud, "level", -1), lambda: setattr(model, "count", "x")):
    try:
        action()
    except (ValueError, TypeError) as e:
        errors.append(f"{type(e).__name__}: {e}")
return {"registry": sorted(Base.registry), "mro": [c.__name__ for c in Loud.__mro__], "hello": loud.hello(), "log": loud.log, "level": loud.level, "errors": errors, "model": [model.count, model.other, Model().count], "checks": [issubclass(Loud, Base), isinstance(loud, LoudMixin)]}
