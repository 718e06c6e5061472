import Foundation
import ProcessTesting

/// A simulated home for a test: a router with a local network of two machines, and one machine
/// outside. Each is a network namespace, so none of it touches this machine's networks. The outside
/// addresses only look like the internet's: no route leads there.
final class HomeNetwork {
  enum Machine: String, CaseIterable {
    /// 192.168.77.2 and 192.168.77.3, on the local network.
    case study, sofa
    /// 192.168.77.1.
    case router
    /// 11.22.33.2, on the router's outer side.
    case friend
  }

  /// A Boolean value that indicates whether this machine lets a test make such a home. If not, the reason is printed.
  /// Finding out takes a tenth of a second, so only tests that run may ask.
  static let isPossible = NetworkNamespaces.areAllowed { name in
    [
      ["ip", "-n", name, "link", "add", "one", "type", "veth", "peer", "name", "two"],
      ["ip", "-n", name, "link", "add", "three", "type", "bridge"],
      [
        "ip", "netns", "exec", name, "nft",
        "add table inet t; add chain inet t c "
          + "{ type nat hook postrouting priority 100; }; add rule inet t c masquerade",
      ],
      [
        "ip", "netns", "exec", name, "sh", "-c",
        "mkdir -p /run/avahi-daemon && mount -t tmpfs none /run/avahi-daemon "
          + "&& echo 1 > /proc/sys/net/ipv4/ip_forward",
      ],
    ]
  }

  /// The prefix of the IPv6 addresses at home, which look like the internet's too.
  static let prefix = "2a0b:77:77:77"

  static let friendAddress = "11.22.33.2"
  private let namespaces = NetworkNamespaces()
  private let folder: URL
  private var daemons: [ChildProcess] = []
  private var avahi: [Machine: ChildProcess] = [:]
  private var screens: [String] = []

  init() throws {
    folder = Clips.folder.appendingPathComponent("home-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for machine in Machine.allCases { try namespaces.make(machine.rawValue) }
    try ip(.router, "link add home type bridge")
    try ip(.router, "addr add 192.168.77.1/24 dev home")
    try ip(.router, "link set home up")
    for (index, machine) in [Machine.study, .sofa].enumerated() {
      let port = "home\(index)"
      try ip(machine, "link add eth0 type veth peer name \(port) netns \(name(.router))")
      try ip(.router, "link set \(port) master home up")
      try ip(machine, "addr add 192.168.77.\(index + 2)/24 dev eth0")
      try ip(machine, "link set eth0 up")
      try ip(machine, "route add default via 192.168.77.1")
      // Without duplicate address detection: no other machine has the address.
      try ip(machine, "addr add \(Self.prefix)::\(index + 2)/64 dev eth0 nodad")
    }
    try ip(.friend, "link add eth0 type veth peer name wan netns \(name(.router))")
    try ip(.friend, "addr add \(Self.friendAddress)/24 dev eth0")
    try ip(.friend, "link set eth0 up")
    try ip(.router, "addr add 11.22.33.1/24 dev wan")
    try ip(.router, "link set wan up")
    try run(.router, ["sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"])
    // A router's default: connections from outside only as answers to outgoing ones.
    try run(
      .router,
      [
        "nft",
        """
        table inet filter {
          chain miniupnpd { }
          chain prerouting_miniupnpd { }
          chain postrouting_miniupnpd { }
          chain forward {
            type filter hook forward priority 0; policy drop;
            ct state established,related accept
            iifname home accept
            jump miniupnpd
          }
          chain prerouting {
            type nat hook prerouting priority -100
            jump prerouting_miniupnpd
          }
          chain postrouting {
            type nat hook postrouting priority 100
            jump postrouting_miniupnpd
            oifname wan masquerade
          }
        }
        """,
      ])
  }

  deinit {
    for screen in screens { Screen(socket: screen).end() }
    for daemon in daemons { kill(daemon.id, SIGKILL) }
    for daemon in daemons { daemon.wait() }
  }

  func name(_ machine: Machine) -> String { namespaces.name(machine.rawValue) }

  /// Runs miniupnpd on the router; returns once it listens.
  func startMiniUPnPd(natPMP: Bool, upnp: Bool) throws {
    let configuration = folder.appendingPathComponent("miniupnpd.conf")
    try """
    ext_ifname=wan
    listening_ip=home
    enable_natpmp=\(natPMP ? "yes" : "no")
    enable_upnp=\(upnp ? "yes" : "no")
    secure_mode=yes
    upnp_table_name=filter
    upnp_nat_table_name=filter
    upnp_forward_chain=miniupnpd
    upnp_nat_chain=prerouting_miniupnpd
    upnp_nat_postrouting_chain=postrouting_miniupnpd
    uuid=6f1b8a3e-0000-4000-8000-000000000001
    allow 1024-65535 192.168.77.0/24 1024-65535
    deny 0-65535 0.0.0.0/0 0-65535

    """.write(to: configuration, atomically: true, encoding: .utf8)
    try start(
      .router,
      [
        "miniupnpd", "-d", "-f", configuration.path, "-P",
        folder.appendingPathComponent("miniupnpd.pid").path,
      ], until: natPMP ? "Listening for NAT-PMP" : "HTTP listening")
  }

  /// Runs a system bus and avahi-daemon on a machine; returns once they are ready.
  ///
  /// - Returns: the environment in which programs find them.
  func startAvahi(on machine: Machine) throws -> [String: String] {
    let bus = "unix:path=\(folder.path)/\(machine)-bus"
    let busConfiguration = folder.appendingPathComponent("\(machine)-bus.conf")
    try """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
      "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>system</type>
      <listen>\(bus)</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow user="*"/>
        <allow own="*"/>
        <allow send_type="method_call"/>
        <allow send_type="signal"/>
        <allow send_requested_reply="true" send_type="method_return"/>
        <allow send_requested_reply="true" send_type="error"/>
        <allow receive_type="method_call"/>
        <allow receive_type="method_return"/>
        <allow receive_type="error"/>
        <allow receive_type="signal"/>
      </policy>
    </busconfig>
    """.write(to: busConfiguration, atomically: true, encoding: .utf8)
    let configuration = folder.appendingPathComponent("\(machine)-avahi.conf")
    try """
    [server]
    host-name=\(machine)
    use-ipv4=yes
    use-ipv6=yes
    [wide-area]
    enable-wide-area=no
    [rlimits]

    """.write(to: configuration, atomically: true, encoding: .utf8)
    try start(
      machine,
      [
        "dbus-daemon", "--config-file=\(busConfiguration.path)", "--nofork", "--nopidfile",
        "--print-address",
      ], until: bus)
    try restartAvahi(on: machine)
    return busEnvironment(machine)
  }

  private func busEnvironment(_ machine: Machine) -> [String: String] {
    ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder.path)/\(machine)-bus"]
  }

  /// Ends the daemon if it runs, and returns when it has ended.
  func stopAvahi(on machine: Machine) {
    guard let daemon = avahi.removeValue(forKey: machine) else { return }
    daemon.terminate()
    daemon.wait()
    daemons.removeAll { $0.id == daemon.id }
  }

  /// Runs the daemon on an existing bus; returns once it is ready.
  func restartAvahi(on machine: Machine) throws {
    let configuration = folder.appendingPathComponent("\(machine)-avahi.conf")
    // The daemon's paths for its process id and socket are fixed, and this machine may run one of
    // its own.
    avahi[machine] = try start(
      machine,
      [
        "sh", "-c",
        "mkdir -p /run/avahi-daemon && mount -t tmpfs none /run/avahi-daemon && exec avahi-daemon "
          + "-f '\(configuration.path)' --no-drop-root --no-chroot --no-rlimits",
      ], environment: busEnvironment(machine), until: "Server startup complete")
  }

  /// Runs the program in a terminal of 80 columns and 24 rows, on a machine with its bus.
  func open(_ arguments: [String], on machine: Machine) throws -> Screen {
    let socket = folder.appendingPathComponent("tmux-\(screens.count)").path
    screens.append(socket)
    let screen = Screen(socket: socket)
    try screen.open(
      arguments + ["--video", "none"], in: folder, columns: 80, rows: 24,
      environment: busEnvironment(machine).map { "\($0)=\($1)" },
      prefix: ["ip", "netns", "exec", name(machine)])
    return screen
  }

  /// Returns the router's rules that lead from outside to a machine at home.
  func mappings() throws -> [String] {
    try run(.router, ["nft", "list", "chain", "inet", "filter", "prerouting_miniupnpd"])
      .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { $0.contains("dnat") }
  }

  /// Waits until the router maps so many ports.
  ///
  /// - Returns: false at the deadline.
  func maps(_ count: Int) async throws -> Bool {
    let deadline = ContinuousClock.now + MatineeProcess.deadline
    while try mappings().count != count {
      guard ContinuousClock.now < deadline else { return false }
      try await Task.sleep(for: .milliseconds(100))
    }
    return true
  }

  @discardableResult
  func run(_ machine: Machine, _ arguments: [String]) throws -> String {
    try namespaces.run(name(machine), arguments)
  }

  private func ip(_ machine: Machine, _ words: String) throws {
    try namespaces.ip(name(machine), words)
  }

  /// Keeps a port of the study mapped; returns once it is mapped.
  ///
  /// - Parameter lease: in seconds.
  func startProbe(port: Int, lease: Int) throws -> ChildProcess {
    try start(
      .study, [try BuiltProgram.url("PortMapperProbe").path, "\(port)", "\(lease)"],
      until: "mapped")
  }

  /// Serves a film from the friend's machine, which is on the internet for those at home.
  ///
  /// - Returns: the film's URL.
  func serve(_ film: String) throws -> String {
    let file = URL(fileURLWithPath: film)
    try start(
      .friend,
      [
        "python3", "-u", "-m", "http.server", "8080", "--bind", Self.friendAddress,
        "--directory", file.deletingLastPathComponent().path,
      ], until: "Serving HTTP")
    return "http://\(Self.friendAddress):8080/\(file.lastPathComponent)"
  }

  @discardableResult
  private func start(
    _ machine: Machine, _ arguments: [String], environment more: [String: String] = [:],
    until sign: String
  ) throws -> ChildProcess {
    let output = folder.appendingPathComponent("\(machine)-\(daemons.count).log")
    let environment = ProcessInfo.processInfo.environment.merging(more) { $1 }
    let daemon = try ChildProcess.start(
      ["ip", "netns", "exec", name(machine)] + arguments, output: output,
      environment: environment)
    daemons.append(daemon)
    let deadline = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < deadline {
      if try String(contentsOf: output, encoding: .utf8).contains(sign) { return daemon }
      usleep(20_000)
    }
    throw ChildProcess.Failure(
      "\(arguments[0]) never said “\(sign)”: \(try String(contentsOf: output, encoding: .utf8))")
  }
}
