import Addresses
import Testing

@testable import Reachability

@Suite("Addresses")
struct AddressTests {
  @Test(
    "An address has a scope, from which it can be reached",
    arguments: [
      ("127.0.0.1", AddressScope.machine), ("::1", .machine), ("169.254.3.4", .link),
      ("fe80::1", .link), ("10.1.2.3", .site), ("172.16.0.1", .site), ("172.32.0.1", .everywhere),
      ("192.168.1.5", .site), ("fd12:3456::1", .site), ("100.64.0.1", .carrier),
      ("100.127.255.255", .carrier), ("100.128.0.1", .everywhere), ("8.8.8.8", .everywhere),
      ("2a00:1450:4001::8a", .everywhere), ("0.0.0.0", .nowhere), ("224.0.0.1", .nowhere),
      ("255.255.255.255", .nowhere), ("203.0.113.7", .site), ("2001:db8::1", .site),
      ("192.0.0.8", .nowhere),
      ("::", .nowhere), ("ff02::1", .nowhere), ("::ffff:10.0.0.1", .nowhere),
    ])
  func scopes(text: String, scope: AddressScope) {
    #expect(AddressScope(of: text) == scope)
  }

  @Test(
    "A text that is no address has no scope",
    arguments: ["", "localhost", "1.2.3", "1.2.3.4:80", "fe80::1%eth0"])
  func noScope(text: String) {
    #expect(AddressScope(of: text) == nil)
  }

  private func address(
    _ text: String, on interface: String = "eth0",
    _ change: (inout InterfaceAddress) -> Void = { _ in }
  ) -> InterfaceAddress {
    var address = InterfaceAddress(interface: interface, text: text)
    change(&address)
    return address
  }

  @Test("The internet's addresses come first, then those on the way to it, then the rest")
  func order() {
    let usable = LocalAddresses.usable(among: [
      address("10.8.0.2", on: "tun0"), address("192.168.1.5") { $0.hasDefaultRoute = true },
      address("2a00:1450::5") { $0.hasDefaultRoute = true }, address("8.8.4.4", on: "eth1"),
    ])
    #expect(usable.map(\.text) == ["8.8.4.4", "2a00:1450::5", "192.168.1.5", "10.8.0.2"])
  }

  @Test("Loopback, link-local, container bridge and unsettled addresses are left out")
  func leftOut() {
    let usable = LocalAddresses.usable(among: [
      address("127.0.0.1", on: "lo"), address("fe80::5"), address("169.254.8.8"),
      address("172.17.0.1", on: "docker0") { $0.isInternal = true },
      address("2a00:1450::7") { $0.isUnsettled = true }, address("192.168.1.5"),
    ])
    #expect(usable.map(\.text) == ["192.168.1.5"])
  }

  @Test("Of an interface's IPv6 addresses only the permanent one is listed")
  func lasting() {
    let usable = LocalAddresses.usable(among: [
      address("2a00:1450::a") { $0.isTemporary = true }, address("2a00:1450::5"),
      address("2a00:1450::b"), address("fd00::5"),
      address("2a00:1451::c", on: "wlan0") { $0.isTemporary = true },
    ])
    #expect(usable.map(\.text) == ["2a00:1450::5", "2a00:1451::c", "fd00::5"])
  }

  @Test("At most a handful of addresses is listed")
  func handful() {
    let many = (1...20).map { address("10.0.\($0).1", on: "eth\($0)") }
    #expect(LocalAddresses.usable(among: many).count == LocalAddresses.limit)
  }

  @Test("This machine knows its own address")
  func thisMachine() {
    let all = InterfaceAddress.all()
    #expect(all.contains { $0.text == "127.0.0.1" && $0.scope == .machine })
  }
}
