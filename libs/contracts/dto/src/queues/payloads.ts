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

/** A webhook, a destination or a mailbox has something to do now. */
export class WorkTurn {
  @IsString() @Matches(/^org_/) orgId!: string;
  @IsIn(['live', 'test']) mode!: 'live' | 'test';
  @IsString() @Matches(/^(wh|dst|mbx)_/) id!: string;
}
