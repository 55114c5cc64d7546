import type { Catalogue } from "./english.ts";

export const chineseRecovery: Catalogue["recovery"] = {
  lost: "丢失了通行密钥或手机？",
  title: "账户恢复",
  lede: "由两个人为您担保，然后您会通过电子邮件收到代码。仅凭电子邮件是不够的。",
  howTwo: "请联系组织的两位所有者或管理员。他们各自在“成员”页面为您担保。",
  howProvider:
    "不足两位所有者或管理员，或您为多个组织工作？请联系网关运营方。由其两位员工担保，代码在 24 小时后生效。",
  code: "代码",
  codeHint: "来自两个人担保后您收到的电子邮件。",
  go: "继续",
  stopTitle: "停止账户恢复",
  stopLede: "有人将获得新的登录方式。如果不对，请停止；一切保持不变。",
  stop: "停止恢复",
  stopped: "账户恢复已停止。所有收到通知的人都会收到邮件。",
  help: "账户恢复",
  helpNamed: "账户恢复：{{name}}",
  helpMeans:
    "适用于丢失全部登录方式的人。请确认对方确实是 {{name}}：拨打您熟悉的号码。所有所有者都会收到邮件。",
  helpMeansStaff:
    "适用于丢失全部通行密钥的人。请确认对方确实是 {{name}}：拨打您熟悉的号码。所有运营人员都会收到邮件。",
  reason: "您如何确认是本人",
  vouch: "我为 {{name}} 担保",
  needsSecond: "现在需要第二位所有者或管理员在此页面担保。之后 {{name}} 会通过电子邮件收到代码，您不会收到。",
  needsSecondAdmin: "现在需要第二位管理员在此页面担保。之后 {{name}} 会通过电子邮件收到代码，您不会收到。",
  under: "进行中的账户恢复",
  waits: "还需要一个人担保",
  isReady: "已有两人担保",
  until: "有效至",
  confirm: "我也担保",
  confirmNamed: "我也为 {{name}} 担保",
  end: "停止",
  endNamed: "停止 {{name}} 的账户恢复",
};
