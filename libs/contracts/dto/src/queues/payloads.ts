import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsString, Matches } from 'class-validator';

/** A run is ready for an agent. */
export class RunReady {
  @IsString() @Matches(/^(run|enr)_/) runId!: string;
}

/** A Go run is ready for a researcher. */
export class GoRunReady {
  @IsString() @Matches(/^gorun_/) runId!: string;
}

/** Jobs of one batch that are ready for a worker. 25: enough to make the queue's share of a job's cost small. */
export class JobsReady {
  @IsArray() @ArrayMinSize(1) @ArrayMaxSize(25) @Matches(/^svcjob_/, { each: true }) jobIds!: string[];
}

/** A webhook, a destination or a mailbox has work to do. */
export class WorkTurn {
  @IsString() @Matches(/^org_/) orgId!: string;
  @IsIn(['live', 'test']) mode!: 'live' | 'test';
  @IsString() @Matches(/^(wh|dst|mbx)_/) id!: string;
}
