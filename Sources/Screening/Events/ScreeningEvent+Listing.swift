import Foundation
import GroupActivities

extension ScreeningEvent {
  /// The remembered items of one kind.
  package enum Listing: Hashable, Sendable {
    case folders([Folder])
    /// The files that a search found.
    case found([File])
    case parties([Party])
    case people([Acquaintance])
    case hosts([Host])
    case moments([ScreeningEvent.Moment])
    /// A link for one friend with a browser.
    case page(Page)
    /// The door for friends with Syncplay.
    case syncplay(Syncplay)

    package struct Page: Hashable, Sendable, Encodable {
      /// The file with the page; nil if none was written.
      @Nullable package var file: String?
      /// The addresses at which the party's relay serves the page. Each has the link's secret.
      package var links: [Link]

      package struct Link: Hashable, Sendable, Encodable {
        package var url: String
        /// The network from which the address works.
        package var kind: String
        /// A Boolean value that indicates whether others on the way can't change the page.
        package var secure: Bool

        package init(url: String, kind: String, isSecure: Bool) {
          self.url = url
          self.kind = kind
          secure = isSecure
        }
      }

      package init(file: String?, links: [Link]) {
        self.links = links
        _file = Nullable(wrappedValue: file)
      }
    }

    package struct Syncplay: Hashable, Sendable, Encodable {
      /// The addresses at which clients find the door, `HOST:PORT`.
      package var addresses: [String]
      /// The password that clients need, which is a secret.
      package var password: String
      /// A Boolean value that indicates whether connections of clients that ask for it are encrypted.
      package var encrypted: Bool

      package init(addresses: [String], password: String, isEncrypted: Bool) {
        (self.addresses, self.password, encrypted) = (addresses, password, isEncrypted)
      }
    }

    package struct Folder: Hashable, Sendable, Encodable {
      package var path: String
      package var titles: Int
      package var away: Bool
      /// The date of the last scan, as text; nil before the first.
      @Nullable package var scanned: String?

      package init(path: String, titles: Int, isAway: Bool, scanned: Date?) {
        self.path = path
        self.titles = titles
        away = isAway
        _scanned = Nullable(wrappedValue: scanned.map { $0.formatted(.iso8601) })
      }
    }

    package struct File: Hashable, Sendable, Encodable {
      package var path: String
      /// The film's identifier; nil before the file was read.
      @Nullable package var item: String?
      /// The duration in seconds.
      @Nullable package var duration: Double?

      package init(path: String, item: String?, duration: Double?) {
        self.path = path
        _item = Nullable(wrappedValue: item)
        _duration = Nullable(wrappedValue: duration)
      }
    }

    /// A party without its invite, which is a secret.
    package struct Party: Hashable, Sendable, Encodable {
      /// The party's id.
      package var party: String
      @Nullable package var name: String?
      @Nullable package var title: String?
      /// This user's name in it.
      package var ownName: String
      package var host: Bool
      @Timestamp package var last: Date
      /// The reason why the party is over; nil if it isn't.
      @Nullable package var ending: String?

      private enum CodingKeys: String, CodingKey {
        case party, name, title, host, last, ending
        case ownName = "as"
      }

      package init(
        party: String, title: String?, ownName: String, isHost: Bool, last: Date, ending: String?
      ) {
        self.party = party
        self.ownName = ownName
        host = isHost
        _name = Nullable(wrappedValue: Participant.ID(party).map(PartyName.of))
        _title = Nullable(wrappedValue: title)
        _last = Timestamp(wrappedValue: last)
        _ending = Nullable(wrappedValue: ending)
      }
    }

    /// A person that this user met in a party.
    package struct Acquaintance: Hashable, Sendable, Encodable {
      package var name: String
      /// The party's id.
      package var party: String
      /// The person's id in that party.
      package var id: String
      @Timestamp package var met: Date
      @Timestamp package var last: Date

      package init(name: String, party: String, id: String, met: Date, last: Date) {
        self.name = name
        self.party = party
        self.id = id
        _met = Timestamp(wrappedValue: met)
        _last = Timestamp(wrappedValue: last)
      }
    }

    /// A server that is permanently trusted.
    package struct Host: Hashable, Sendable, Encodable {
      package var host: String
      @Timestamp package var since: Date

      package init(host: String, since: Date) {
        self.host = host
        _since = Timestamp(wrappedValue: since)
      }
    }
  }
}

extension ScreeningEvent.Listing {
  package var kind: ScreeningEvent.Kind {
    switch self {
    case .folders: .folders
    case .found: .found
    case .parties: .parties
    case .people: .people
    case .hosts: .hosts
    case .moments: .moments
    case .page: .page
    case .syncplay: .syncplay
    }
  }
}
