import { Injectable } from '@nestjs/common';
import { KeyedSemaphore } from '@quarry/resilience';
import { AppError } from '@quarry/error-codes';
import { hashPassword, verifyPassword } from './password.js';

/** Maximum concurrency: 128 MiB each. Source: docs/contract.md#10-the-web-application. */
const AT_ONCE = 2;
/** Maximum wait for a slot, in milliseconds. A check takes up to two seconds on a busy machine; calls have 30 s. */
const WAIT_MS = 20_000;
/** Hash that matches no password; checking it costs as much as checking that of a user. */
const NOBODYS = 'scrypt$131072$8$1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

/** Hashes and verifies passwords with low concurrency, because each needs much memory. */
@Injectable()
export class PasswordChecks {
  private readonly turns = new KeyedSemaphore({
    size: AT_ONCE,
    timeout: {
      ms: WAIT_MS,
      refusal: () =>
        new AppError('rate_limited', 'Too many sign-ins at the moment. Try again.', {
          headers: { 'Retry-After': '1' },
        }),
    },
  });

  /** @param stored null if there is no user: the work is the same. @throws AppError rate_limited */
  verifyPassword(password: string, stored: string | null): Promise<boolean> {
    return this.turns.use('', async () => {
      const isRight = await verifyPassword(password, stored ?? NOBODYS);
      return isRight && stored !== null;
    });
  }

  /** @throws AppError rate_limited */
  hashPassword(password: string): Promise<string> {
    return this.turns.use('', () => hashPassword(password));
  }
}
