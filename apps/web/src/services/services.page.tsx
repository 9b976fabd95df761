import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { servicesQuery } from '../api/queries';
import type { ServiceSummary } from '../api/resources';
import { Page } from '../shell/page';
import { Badge, controls, EmptyState, QueryResult, TextField } from '../ui/controls';
import { formatCredits } from '../ui/format';
import css from './services.module.css';

const CATEGORIES: Readonly<Record<string, string>> = {
  contact: 'Contacts',
  company: 'Companies',
  person: 'People',
  linkedin: 'LinkedIn',
  web: 'The web',
  research: 'Research',
  validation: 'Validation',
};

/** @returns what a call costs in words */
export function priceText({ price: { unit, hit, miss } }: Pick<ServiceSummary, 'price'>): string {
  if (unit === 'item') return `${formatCredits(hit)} an item`;
  return miss === hit
    ? formatCredits(hit)
    : `${formatCredits(hit)}, ${miss === 0 ? 'nothing' : formatCredits(miss)} when not found`;
}

export function ServicesPage() {
  const services = useQuery(servicesQuery());
  const [words, setWords] = useState('');
  const fits = ({ name, title, description }: ServiceSummary) =>
    `${name} ${title} ${description}`.toLowerCase().includes(words.trim().toLowerCase());
  return (
    <Page title="Services" intro="Try a service here, call it over HTTP, or use it to fill a column.">
      <TextField
        label="Find a service"
        type="search"
        value={words}
        onChange={({ target }) => setWords(target.value)}
      />
      <QueryResult query={services}>
        {({ items }) => {
          const found = items.filter(fits);
          if (found.length === 0)
            return <EmptyState title="No matching service">Try another word.</EmptyState>;
          return Object.entries(CATEGORIES).map(([category, title]) => {
            const ofCategory = found.filter((service) => service.category === category);
            if (ofCategory.length === 0) return null;
            return (
              <section key={category} className={css.category}>
                <h2>{title}</h2>
                <ul className={css.services}>
                  {ofCategory.map((service) => (
                    <li key={service.name}>
                      <Link to="/services/$name" params={{ name: service.name }} className={css.service}>
                        <span className={controls.spread}>
                          <strong>{service.title}</strong>
                          {!service.available && <Badge look="warn">not set up</Badge>}
                        </span>
                        <span className={controls.muted}>{service.description}</span>
                        <span className={css.price}>{priceText(service)}</span>
                      </Link>
                    </li>
                  ))}
                </ul>
              </section>
            );
          });
        }}
      </QueryResult>
      <section className={css.category}>
        <h2>Go</h2>
        <Link to="/go" className={css.service}>
          <strong>Research with sources</strong>
          <span className={controls.muted}>
            Answers a question from web pages; each field comes with the quote that supports it.
          </span>
        </Link>
      </section>
    </Page>
  );
}
