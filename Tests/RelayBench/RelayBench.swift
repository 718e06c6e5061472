import ArgumentParser
import BrokerTesting
import Foundation

/// Measures the relay beside nats-server: the same clients, the same load, in turns.
@main
struct RelayBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench-relay",
    abstract: "Measure the relay beside nats-server, the same clients on both in turns.")

  @Option(help: "How often each is measured; the table has medians.")
  var runs = 3

  @Option(help: "Seconds of each measurement.")
  var seconds = 10.0

  @Option(help: ArgumentHelp("Only these cases.", valueName: "fan-out,parties,quick,misbehaving"))
  var only: String?

  @Option(help: "The matinee to measure.")
  var matinee = ".build/release/matinee"

  @Option(help: "The nats-server to measure it beside.")
  var natsServer = RelayBench.installedNATSServer

  @Flag(help: "Leave nats-server out.")
  var alone = false

  func validate() throws {
    guard runs >= 1, seconds >= 1 else {
      throw ValidationError("--runs and --seconds are 1 at least")
    }
    for name in names where !Load.all.contains(where: { $0.name == name }) {
      throw ValidationError("there is no case \(name)")
    }
  }

  private var names: [String] {
    only.map { $0.split(separator: ",").map(String.init) } ?? Load.all.map(\.name)
  }

  func run() throws {
    try allowDescriptors()
    for load in Load.all where names.contains(load.name) {
      var table = Table(load: load)
      for _ in 0..<runs {
        for kind in BrokerProcess.Kind.allCases where !(alone && kind == .natsServer) {
          let broker = try BrokerProcess(
            kind, program: kind == .relay ? matinee : natsServer, connections: load.connections,
            isUnlimited: load.flooders == 0)
          defer { broker.stop() }
          table.add(try Run(load: load, seconds: seconds, broker: broker).measure(), of: kind)
        }
      }
      table.write()
    }
    var loads = [0.0]
    // Clients and broker keep two cores busy, and nats-server has more threads to wait for a core.
    if getloadavg(&loads, 1) == 1, loads[0] > 3 {
      print(
        "\nOther work was done meanwhile (load \(Int(loads[0]))): delays are not to be trusted. "
          + "As root, chrt -f 10 keeps it away.")
    }
  }

  /// Thousands of sockets, here and in the brokers, which inherit it.
  private func allowDescriptors() throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let needed = Load.all.filter { names.contains($0.name) }.map(\.connections).max() ?? 0
    guard limit.rlim_cur > needed + 64 else {
      throw ValidationError("this needs \(needed + 64) open files: see ulimit -n")
    }
  }

  /// Debian has it in /usr/sbin, which not everybody has in PATH.
  private static var installedNATSServer: String {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
    return folders.map { $0 + "/nats-server" }
      .first { FileManager.default.isExecutableFile(atPath: $0) } ?? "nats-server"
  }
}
