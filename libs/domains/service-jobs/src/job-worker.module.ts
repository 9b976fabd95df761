import { Module, type DynamicModule } from '@nestjs/common';
import { JOB_WORKER_SETTINGS, JobConsumer, type JobWorkerSettings } from './job-consumer.js';
import { ServiceJobsModule } from './service-jobs.module.js';

/** Works on jobs of the queues that the settings name. */
@Module({})
export class JobWorkerModule {
  static forRoot(settings: JobWorkerSettings): DynamicModule {
    return {
      module: JobWorkerModule,
      imports: [ServiceJobsModule],
      providers: [JobConsumer, { provide: JOB_WORKER_SETTINGS, useValue: settings }],
    };
  }
}
