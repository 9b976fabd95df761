import { EnvVar, IsWholeNumber } from '@quarry/app';
import { MAIL_RETENTION_DAYS } from '@quarry/outreach';
import { RUN_DETAIL_DAYS } from '@quarry/runs';
import { BATCH_RETENTION_DAYS, LINE_CONTENT_DAYS } from '@quarry/service-jobs';
import { ARCHIVED_DAYS } from '@quarry/tables';

/** Retention of records in days, by kind (docs/retention.md). */
export interface RetentionSettings {
  runDetailDays: number;
  archivedDays: number;
  endedDays: number;
  mailDays: number;
}

interface RetentionVariables {
  RUN_DETAIL_DAYS: number;
  ARCHIVED_DAYS: number;
  BATCH_RETENTION_DAYS: number;
  MAIL_RETENTION_DAYS: number;
}

const DAYS_MAX = 36_500;

/** Adds the retention times to an environment class: a mixin, because the apps have no other class in common. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the compiler takes mixins with these parameters only
export function withRetention<T extends new (...args: any[]) => object>(Base: T) {
  class RetentionEnv extends Base {
    @EnvVar({
      group: 'retention',
      description: 'Days that the prompt and steps of a run are kept after its end.',
    })
    @IsWholeNumber(1, DAYS_MAX)
    RUN_DETAIL_DAYS: number = RUN_DETAIL_DAYS;

    @EnvVar({ group: 'retention', description: 'Days that an archived workspace is kept.' })
    @IsWholeNumber(1, DAYS_MAX)
    ARCHIVED_DAYS: number = ARCHIVED_DAYS;

    @EnvVar({
      group: 'retention',
      description: 'Days that a batch is kept after its end; its inputs and results are deleted after 30.',
    })
    @IsWholeNumber(LINE_CONTENT_DAYS + 1, DAYS_MAX)
    BATCH_RETENTION_DAYS: number = BATCH_RETENTION_DAYS;

    @EnvVar({
      group: 'retention',
      description: 'Days that messages of sequences and their replies are kept.',
    })
    @IsWholeNumber(1, DAYS_MAX)
    MAIL_RETENTION_DAYS: number = MAIL_RETENTION_DAYS;
  }
  return RetentionEnv;
}

/** @returns the retention settings of an environment with {@link withRetention} */
export function retentionOf(env: RetentionVariables): RetentionSettings {
  return {
    runDetailDays: env.RUN_DETAIL_DAYS,
    archivedDays: env.ARCHIVED_DAYS,
    endedDays: env.BATCH_RETENTION_DAYS,
    mailDays: env.MAIL_RETENTION_DAYS,
  };
}
