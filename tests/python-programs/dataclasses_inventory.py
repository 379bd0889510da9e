from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Account:
    owner: str
    balance: int = 0
    history: list[tuple[str, int]] = field(default_factory=list)

    def deposit(self, amount: int) -> Account:
        if amount <= 0:
            raise ValueError("the amount must be positive")
        self.balance += amount
        self.history.append(("deposit", amount))
        return self

    def withdraw(self, amount: int) -> Account:
        if amount > self.balance:
            raise InsufficientFunds(self.balance, amount)
        self.balance -= amount
        self.history.append(("withdraw", amount))
        return self


class InsufficientFunds(Exception):
    def __init__(self, balance, amount):
        super().__init__(f"balance {balance} is less than {amount}")
        self.short = amount - balance


account = Account("ada").deposit(100).withdraw(30)
errors = []
for action in (lambda: account.withdraw(500), lambda: account.deposit(-1)):
    try:
        action()
    except InsufficientFunds as e:
        errors.append([str(e), e.short])
    except ValueError as e:
        errors.append([str(e), None])
print(account)
return {"balance": account.balance, "history": account.history, "errors": errors, "annotations": Account.__annotations__}
