/** Stops the server that the setup started, and removes its folder. */
export default async function teardown() {
  await globalThis.__quarryTestPostgres?.stop();
  delete globalThis.__quarryTestPostgres;
  delete process.env.QUARRY_TEST_POSTGRES_URL;
}
