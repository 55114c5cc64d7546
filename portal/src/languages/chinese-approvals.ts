import type { Catalogue } from "./english.ts";

export const chineseApprovals: Catalogue["approvals"] = {
  title: "审批",
  lede: "有些操作需要第二个人批准（四眼原则）。您批准的正是所显示的请求。",
  noneTitle: "没有待审批的请求",
  none: "新密钥或大额退款等操作需要批准。同事的请求会显示在这里。",
  why: "请求原因",
  ask: "请求批准",
  asked: "已请求批准。所有可以批准的人都收到了邮件。批准后，请在此重新操作，或打开页面",
  until: "过期时间",
  waits: "等待另一位拥有相同权限的人批准。",
  confirmed: "已批准。请在一小时内完成操作。",
  goBack: "已批准。请回到请求批准的页面重新操作。",
  confirm: "批准",
  go: "完成操作",
  takeBack: "撤回",
  turnDown: "拒绝",
  break: "查看差异 {{number}}",
};
