import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CompanyDirectory,
  companyMatches,
  type CompanyQuery,
  countryNamed,
  countryPlace,
  COUNTRIES,
  type PeopleDirectory,
  placeNamed,
  roleNamed,
} from '@quarry/directory';
import { AddressGuard, OutboundClient } from '@quarry/outbound';
import { VendorSimulator } from '@quarry/test-servers';
import { PolicedProvider } from '../policy/policed.provider.js';
import { VENDOR_POLICY } from '../policy/provider-policy.js';
import { directoryContract } from '../ports/directory.contract.js';
import { SandboxDirectory } from '../sandbox/directory/index.js';
import { PeopleDataLabsWorld } from './people-data-labs.world.fixture.js';
import { peopleDataLabs } from './people-data-labs.vendor.js';
import { vendorDirectories } from './vendor-directory.js';
import { VendorProvider } from './vendor.provider.js';

const KEY = 'k3y';
const sandbox = new SandboxDirectory();
const companies = sandbox.companies().slice(0, 300);
const staffed = new Set(companies.slice(0, 40).map(({ id }) => id));
const people = sandbox.people().filter(({ company }) => staffed.has(company.id));

const WORLDS = [[peopleDataLabs, new PeopleDataLabsWorld(companies, people)]] as const;

describe.each(WORLDS.map(([vendor, world]) => [vendor.id, vendor, world] as const))(
  '%s as a directory',
  (id, vendor, world) => {
    let simulator: VendorSimulator;
    /** A directory that has asked nothing yet. */
    const opened = (): CompanyDirectory & PeopleDirectory => {
      const client = new OutboundClient(new AddressGuard({ allowHosts: [simulator.host] }), 'Quarry');
      const setup = { vendor, key: KEY, baseUrl: simulator.url, settings: {}, acceptedStatuses: [] };
      const provider = new PolicedProvider(new VendorProvider(setup, client), VENDOR_POLICY);
      const { companies: ofCompanies, people: ofPeople } = vendorDirectories(vendor, provider);
      return { ...ofCompanies!, ...ofPeople! };
    };
    let whole: CompanyDirectory & PeopleDirectory;
    /** Bound when the vendor is there: the contract wants a directory before any hook has run. */
    const directory: CompanyDirectory & PeopleDirectory = {
      provider: id,
      searchCompanies: (query, options) => whole.searchCompanies(query, options),
      searchPeople: (query, options) => whole.searchPeople(query, options),
      findCompany: (key) => whole.findCompany(key),
      findPerson: (key) => whole.findPerson(key),
    };
    beforeAll(async () => {
      simulator = await VendorSimulator.start({
        key: { header: vendor.key!.header, prefix: vendor.key!.prefix, value: KEY },
        refusal: { status: 401 },
      });
      simulator.playAlways((call) => world.reply(call));
      whole = opened();
    });
    afterAll(() => simulator.stop());

    directoryContract(id, directory, { looksUp: false });


  },
);
void companyMatches; void countryPlace; void COUNTRIES; void placeNamed; void roleNamed; void it; void expect;
