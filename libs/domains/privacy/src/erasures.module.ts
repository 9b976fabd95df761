import { Controller, Inject, Injectable, Module, type DynamicModule } from '@nestjs/common';
import { ERASURES_RPC, type RequestOf } from '@quarry/dto';
import { LOGGER, PeriodicTask, type Ctx, type Logger } from '@quarry/app';
import { Answers } from '@quarry/rpc';
import { ERASURE_PARTS, type ErasureParts } from './erasure-parts.js';
import { PersonErasure } from './person-erasure.js';

/** Handles the call that erases a person from every library. */
@Controller()
class ErasuresController {
  constructor(private readonly erasure: PersonErasure) {}

  @Answers(ERASURES_RPC.erasePerson)
  erasePerson(ctx: Ctx, { person, idempotencyKey = null }: RequestOf<typeof ERASURES_RPC.erasePerson>) {
    return this.erasure.erasePerson(ctx, person, idempotencyKey);
  }
}

const FOLLOW_MS = 5_000;

/** Repeats erasures that were requested while work was still open. */
@Injectable()
class ErasureFollower extends PeriodicTask {
  constructor(erasure: PersonErasure, @Inject(LOGGER) logger: Logger) {
    super(
      async (stopping) => {
        while (!stopping.aborted && (await erasure.followOne()));
      },
      {
        intervalMs: FOLLOW_MS,
        onError: (error) => logger.warn({ err: error }, 'an erasure could not be completed'),
      },
    );
  }
}

/** Provides the erasure of a person. Only for a process that may write in all libraries. */
@Module({})
export class ErasuresModule {
  /** @param parts what each library erases */
  static forRoot(parts: ErasureParts): DynamicModule {
    return {
      module: ErasuresModule,
      controllers: [ErasuresController],
      providers: [{ provide: ERASURE_PARTS, useValue: parts }, PersonErasure, ErasureFollower],
    };
  }
}
