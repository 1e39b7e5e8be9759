import type { INodeProperties } from 'n8n-workflow';
import { EVENTS } from '../../shared/vocabulary';

export const URL: INodeProperties = {
  displayName: 'URL',
  name: 'url',
  type: 'string',
  default: '',
  placeholder: 'e.g. https://example.com/hooks/farmboard',
  description: 'The http or https address that receives the events, without a user name or password',
};

export const SUBSCRIPTION_EVENTS: INodeProperties = {
  displayName: 'Events',
  name: 'events',
  type: 'multiOptions',
  options: EVENTS,
  default: ['order.created', 'order.status_changed'],
  description: 'The events to send; choose at least one',
};

export const SUBSCRIPTION_NAME: INodeProperties = {
  displayName: 'Name',
  name: 'name',
  type: 'string',
  default: '',
  placeholder: 'e.g. Workshop chat',
  description: 'The name shown for the channel in Farmboard',
};

export const ENABLED: INodeProperties = {
  displayName: 'Enabled',
  name: 'enabled',
  type: 'boolean',
  default: true,
  description: 'Whether the channel sends events; turning it off drops deliveries that are still pending',
};
