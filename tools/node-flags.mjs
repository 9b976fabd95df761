/**
 * How Node runs the product. Without a bound the young generation grows to several times what streams need, and a
 * process that passes a large file through holds a hundred megabytes of garbage (docs/performance.md, Memory).
 */
export const NODE_FLAGS = ['--enable-source-maps', '--max-semi-space-size=8'];
