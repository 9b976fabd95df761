import { Module } from '@nestjs/common';
import { ResearchSteps } from './research-steps.js';
import { ResearchWebs } from './research-web.js';

/** The steps of research. Requires the data providers and the language model from global modules. */
@Module({ providers: [ResearchSteps, ResearchWebs], exports: [ResearchSteps, ResearchWebs] })
export class ResearchStepsModule {}
