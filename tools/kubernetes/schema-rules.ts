import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1/TriggerAuthentication';
import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import { keyOf, type Manifest } from './manifest-kit.js';

const MODELS = [
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  PodMonitor,
  PrometheusRule,
  ScaledObject,
  Service,
  ServiceAccount,
  TriggerAuthentication,
] as unknown as Array<{ apiVersion: string; kind: string; new (document: Manifest): { validate(): void } }>;

/** @returns documents that are invalid for their kind, duplicate, or outside the namespace */
export function faultsOfSchemas(all: Manifest[]): string[] {
  const faults: string[] = [];
  const check = (isRight: unknown, fault: string) => void (isRight || faults.push(fault));
  for (const each of all) {
    const Model = MODELS.find(({ apiVersion, kind }) => apiVersion === each.apiVersion && kind === each.kind);
    try {
      if (!Model) throw new Error('has no model');
      new Model(each).validate();
    } catch (error) {
      faults.push(`${keyOf(each)}: ${(error as Error).message}`);
    }
    check(all.filter((other) => keyOf(other) === keyOf(each)).length === 1, `${keyOf(each)}: twice`);
    const isInside = each.kind === 'Namespace' || each.metadata.namespace === 'quarry';
    check(isInside, `${keyOf(each)}: outside the namespace`);
  }
  check(
    all.find(({ kind }) => kind === 'Namespace')?.metadata.labels['pod-security.kubernetes.io/enforce'] ===
      'restricted',
    'Namespace: not restricted',
  );

  return faults;
}
