import type { INodeProperties } from 'n8n-workflow';
import { EVENTS } from '../../shared/vocabulary';

export const URL: INodeProperties = {
  displayName: 'URL',
  name: 'url',
  type: 'string',
  default: '',
  placeholder: 'e.g. https://example.com/hooks/farmboard',
  description: 'Where events are sent: http or https, without user name and password',
};

export const CHANNEL_EVENTS: INodeProperties = {
  displayName: 'Events',
  name: 'events',
  type: 'multiOptions',
  options: EVENTS,
  default: ['order.created', 'order.status_changed'],
  description: 'Which events are sent, at least one',
};

export const CHANNEL_NAME: INodeProperties = {
  displayName: 'Name',
  name: 'name',
  type: 'string',
  default: '',
  placeholder: 'e.g. Workshop chat',
  description: 'What the channel is called in lists',
};

export const ENABLED: INodeProperties = {
  displayName: 'Enabled',
  name: 'enabled',
  type: 'boolean',
  default: true,
  description: 'Whether events are sent; switching a channel off drops what still waits in it',
};
