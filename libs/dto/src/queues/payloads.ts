import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsString, Matches } from 'class-validator';

/** A run waits for an agent. */
export class RunReady {
  @IsString() @Matches(/^(run|enr)_/) runId!: string;
}

/** A Go run waits for a researcher. */
export class GoRunReady {
  @IsString() @Matches(/^gorun_/) runId!: string;
}

/** Lines of one batch that wait for a worker. 25: enough to make the queue's share of a line's cost small. */
export class JobsReady {
  @IsArray() @ArrayMinSize(1) @ArrayMaxSize(25) @Matches(/^svcjob_/, { each: true }) jobIds!: string[];
}

/** A webhook has events that it is to be sent now. */
export class WebhookTurn {
  @IsString() @Matches(/^org_/) orgId!: string;
  @IsIn(['live', 'test']) mode!: 'live' | 'test';
  @IsString() @Matches(/^wh_/) webhookId!: string;
}

/** A destination has rows that it is to be sent now. */
export class DestinationTurn {
  @IsString() @Matches(/^org_/) orgId!: string;
  @IsIn(['live', 'test']) mode!: 'live' | 'test';
  @IsString() @Matches(/^dst_/) destinationId!: string;
}

/** A mailbox has messages that it is to send now. */
export class MailboxTurn {
  @IsString() @Matches(/^org_/) orgId!: string;
  @IsIn(['live', 'test']) mode!: 'live' | 'test';
  @IsString() @Matches(/^mbx_/) mailboxId!: string;
}
