import { Module } from '@nestjs/common';
import { ResearchSteps } from './research-steps.js';
import { ResearchWebs } from './research-web.js';

/** The steps of research. Wants the providers of data and the language model from global modules. */
@Module({ providers: [ResearchSteps, ResearchWebs], exports: [ResearchSteps, ResearchWebs] })
export class ResearchStepsModule {}
