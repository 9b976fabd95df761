/** Token of {@link Deliver}, which tells workers about waiting lines. */
export const DELIVER = Symbol('quarry:service-jobs:deliver');
