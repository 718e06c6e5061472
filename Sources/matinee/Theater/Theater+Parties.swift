import Foundation
import MediaLibrary
import Screening

/// The remembered parties, people and servers.
extension Theater {
  func forget(party id: String) async throws { try await history?.library.forget(party: id) }

  func forget(person key: String, of party: String) async throws {
    try await history?.library.forget(person: key, of: party)
  }

  // MARK: - Hosts

  /// Reads the hosts that are permanently trusted.
  func readTrustedHosts() async {
    do {
      for host in try await history?.library.hosts() ?? [] { policy.allow(trusted: host.name) }
    } catch {
      emit(
        .warning(
          "Can't read the trusted servers, so you are asked about each of them again: \(error)"))
    }
  }

  func trust(_ origin: Origin) async {
    await forgivingly { try await $0.allow(host: origin.description) }
  }

  /// - Parameter text: an origin, or a host for all of its origins.
  func forget(host text: String) async throws {
    policy.forget(trusted: text)
    let trusted = try await history?.library.hosts() ?? []
    let meant = trusted.filter { URLPolicy.isMeant($0.name, by: text) }
    guard !meant.isEmpty else { throw RejoinProblem.notTrusted(text) }
    for host in meant { try await history?.library.forget(host: host.name) }
  }
}
