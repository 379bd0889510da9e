from enum import Enum, auto


class State(Enum):
    IDLE = auto()
    RUNNING = auto()
    PAUSED = auto()
    STOPPED = auto()


TRANSITIONS = {
    (State.IDLE, "start"): State.RUNNING,
    (State.RUNNING, "pause"): State.PAUSED,
    (State.PAUSED, "resume"): State.RUNNING,
    (State.RUNNING, "stop"): State.STOPPED,
    (State.PAUSED, "stop"): State.STOPPED,
}


class Machine:
    def __init__(self):
        self.state = State.IDLE
        self.history = [self.state.name]
        self.listeners = []

    def on(self, f):
        self.listeners.append(f)
        return f

    def send(self, event):
        try:
            new = TRANSITIONS[self.state, event]
        except KeyError:
            raise ValueError(f"can't {event} while {self.state.name}") from None
        for listener in self.listeners:
            listener(self.state, event, new)
        self.state = new
        self.history.append(new.name)


machine = Machine()


@machine.on
def show(old, event, new):
    print(f"{old.name:>8} --{event}--> {new.name}")


errors = []
for event in "start pause start resume stop resume".split():
    try:
        machine.send(event)
    except ValueError as e:
        errors.append(str(e))
return {"history": machine.history, "errors": errors}
