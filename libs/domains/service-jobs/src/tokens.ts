/** Token of {@link Deliver}: how workers are told of lines that wait. */
export const DELIVER = Symbol('quarry:service-jobs:deliver');
