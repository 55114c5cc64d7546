/** The fields of a Kubernetes object that the rules check. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels; readonly annotations?: Labels };
  readonly data?: Labels;
  readonly spec?: {
    readonly selector?: Labels & { readonly matchLabels?: Labels };
    readonly podSelector?: { readonly matchLabels?: Labels };
    readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
    readonly ports?: readonly { readonly targetPort?: string; readonly name?: string }[];
    readonly endpoints?: readonly { readonly port: string }[];
    readonly [other: string]: unknown;
  };
}

export type Labels = Readonly<Record<string, string>>;

export interface PodSpec {
  readonly automountServiceAccountToken?: boolean;
  readonly securityContext?: {
    readonly runAsNonRoot?: boolean;
    readonly seccompProfile?: { readonly type?: string };
  };
  readonly terminationGracePeriodSeconds?: number;
  readonly topologySpreadConstraints?: readonly {
    readonly labelSelector: { readonly matchLabels: Labels };
  }[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly { readonly name: string; readonly secret?: { readonly secretName: string } }[];
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds: number } } };
  readonly resources?: { readonly requests?: Labels; readonly limits?: Labels };
  readonly securityContext?: {
    readonly allowPrivilegeEscalation?: boolean;
    readonly readOnlyRootFilesystem?: boolean;
    readonly capabilities?: { readonly drop?: readonly string[] };
  };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string };
}
