import type { Catalogue } from "./english.ts";

export const chineseRoles: Catalogue["roles"] = {
  owner: "所有者",
  admin: "管理员",
  developer: "开发人员",
  finance: "财务",
  support: "客服",
  reader: "只读",
  "staff-admin": "运营方：管理员",
  "staff-operator": "运营方：运维",
  "staff-finance": "运营方：财务",
  "staff-support": "运营方：客服",
};

export const chineseRolesMean: Catalogue["rolesMean"] = {
  owner: "一切权限，包括申请正式环境和管理其他所有者。",
  admin: "除所有者和申请正式环境外的一切权限。",
  developer: "开发和运行接入。只能在沙箱中动用资金。",
  finance: "查看余额，退款和请款。",
  support: "帮助买家：查看和取消付款，答复争议。",
  reader: "只能查看，不能更改。",
  "staff-admin": "一切权限，包括管理运营人员。",
  "staff-operator": "管理商户、支付服务商和卡住的记录。",
  "staff-finance": "核对账目，关闭差异。",
  "staff-support": "可以查看商户数据，不能更改。",
};

export const chinesePermissions: Catalogue["permissions"] = {
  payments: { read: "查看付款", refund: "退款", cancel: "取消付款", capture: "请款" },
  disputes: { read: "查看争议", accept: "接受争议", answer: "答复争议" },
  balance: { read: "查看余额" },
  stores: { read: "查看门店" },
  notifications: { read: "查看 webhook", resend: "重发 webhook" },
  calls: { read: "查看 API 请求" },
  keys: { read: "查看密钥", change: "添加和吊销密钥" },
  endpoints: { change: "更改 webhook 端点" },
  brand: { change: "更改结账页面的外观" },
  clients: { open: "创建客户端编号" },
  sandbox: { steer: "操控沙箱：测试时钟、故障、测试 webhook" },
  live: { prepare: "准备开通正式环境", ask: "申请正式环境" },
  people: {
    read: "查看成员",
    invite: "邀请成员",
    change: "更改角色、移除成员",
    recover: "为商户人员的账户恢复担保",
  },
  organisation: { change: "更改组织" },
  audit: { read: "查看审计日志" },
  merchants: { read: "查看商户", review: "审核商户", change: "更改和暂停商户" },
  providers: { read: "查看支付服务商", change: "更改和停用支付服务商" },
  "open-records": { read: "查看未完结记录" },
  jobs: { retry: "重试、暂缓和释放任务" },
  breaks: { read: "查看差异", close: "说明并关闭差异", "write-off": "核销差异" },
  announcements: { write: "发布公告" },
};
