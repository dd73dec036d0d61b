#include "resources/certificates/x509_checks.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "api/quote.h"
#include "base/text.h"
#include "resources/rules/pem.h"

namespace resources::certificates {
namespace {

constexpr int64_t kMostBundleBytes = 1 << 20;
constexpr std::string_view kOmitted = "<value omitted>";

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Request = std::unique_ptr<X509_REQ, decltype(&X509_REQ_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

// The whole of `der`, or null.
Certificate ReadCertificate(std::string_view der) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  const unsigned char* const end = at + der.size();
  Certificate read(d2i_X509(nullptr, &at, static_cast<long>(der.size())), X509_free);
  ERR_clear_error();
  if (read && at != end) read.reset();
  return read;
}

// An element's identifier and length, as DER writes them.
struct Header {
  unsigned type = 0;  // universal 0, application 1, ...
  unsigned tag = 0;
  uint64_t length = 0;
  bool compound = false;
  size_t size = 0;  // of the header itself
};

// The header that `der` begins with; what is wrong with it, if anything, in `complaint`.
Header ReadHeader(std::string_view der, std::string& complaint) {
  Header header;
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(der[at]); };
  if (der.size() < 2) {
    complaint = der.empty() ? "asn1: syntax error: sequence truncated" : "asn1: syntax error: truncated tag or length";
    return header;
  }
  header.type = byte(0) >> 6;
  header.compound = (byte(0) & 0x20) != 0;
  header.tag = byte(0) & 0x1f;
  header.size = 2;
  header.length = byte(1) & 0x7f;
  if ((byte(1) & 0x80) == 0) return header;
  const size_t count = header.length;
  header.length = 0;
  if (count == 0) complaint = "asn1: syntax error: indefinite length found (not DER)";
  for (size_t i = 0; i < count && complaint.empty(); ++i) {
    if (header.size >= der.size()) {
      complaint = "asn1: syntax error: truncated tag or length";
    } else if (header.length >= 1U << 23) {
      complaint = "asn1: structure error: length too large";
    } else {
      header.length = header.length << 8 | byte(header.size++);
      if (header.length == 0) complaint = "asn1: structure error: superfluous leading zeros in length";
    }
  }
  if (complaint.empty() && header.length < 0x80) complaint = "asn1: structure error: non-minimal length";
  return header;
}

// Why `der`, which is no request, is none. What is wrong deep inside it is told in one text.
std::string DerComplaint(std::string_view der) {
  std::string complaint;
  const Header header = ReadHeader(der, complaint);
  if (!complaint.empty()) return complaint;
  if (header.type != 0 || header.tag != 16 || !header.compound) {
    return base::Cat("asn1: structure error: tags don't match (16 vs {class:", header.type, " tag:", header.tag,
                     " length:", header.length, " isCompound:", header.compound ? "true" : "false",
                     "}) {optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> "
                     "stringType:0 timeType:0 set:false omitEmpty:false} certificateRequest @",
                     header.size);
  }
  if (header.length > der.size() - header.size) return "asn1: syntax error: data truncated";
  if (header.length < der.size() - header.size) return "asn1: syntax error: trailing data";
  return "asn1: syntax error: sequence truncated";
}

std::string SignatureComplaint(X509_REQ* request) {
  const Key key(X509_REQ_get_pubkey(request), EVP_PKEY_free);
  const int verified = key ? X509_REQ_verify(request, key.get()) : -1;
  ERR_clear_error();
  if (verified == 1) return {};
  switch (key ? EVP_PKEY_base_id(key.get()) : 0) {
    case EVP_PKEY_RSA:
      return "crypto/rsa: verification error";
    case EVP_PKEY_EC:
      return "x509: ECDSA verification failure";
    case EVP_PKEY_ED25519:
      return "x509: Ed25519 verification failure";
    default:
      return "x509: cannot verify signature: algorithm unimplemented";
  }
}

// Why `der` is no certificate: the outer element that is not as it should be.
std::string CertificateComplaint(std::string_view der) {
  if (ReadCertificate(der)) return {};
  std::string complaint;
  const Header outer = ReadHeader(der, complaint);
  const bool whole = complaint.empty() && outer.type == 0 && outer.tag == 16 && outer.compound &&
                     outer.length <= der.size() - outer.size;
  if (!whole) return "x509: malformed certificate";
  if (outer.length < der.size() - outer.size) return "x509: trailing data";
  const Header inner = ReadHeader(der.substr(outer.size), complaint);
  const bool inner_whole = complaint.empty() && inner.tag == 16 && inner.compound;
  return inner_whole ? "x509: malformed certificate" : "x509: malformed tbs certificate";
}

// Why entry `block` of a bundle is no authority's certificate; "" where it is one.
std::string EntryComplaint(const PemBlock& block) {
  if (block.type != "CERTIFICATE") return base::Cat("has bad block type: ", block.type);
  if (block.has_headers) return "has PEM block headers";
  const Certificate certificate = ReadCertificate(block.bytes);
  if (!certificate) return "does not parse as X.509";
  const uint32_t flags = X509_get_extension_flags(certificate.get());
  return (flags & EXFLAG_BCONS) != 0 && (flags & EXFLAG_CA) != 0 ? "" : "does not have the CA bit set";
}

}  // namespace

std::string RequestComplaint(std::string_view pem) {
  const auto block = PemReader(pem).Next();
  if (!block || block->type != "CERTIFICATE REQUEST") return "PEM block type must be CERTIFICATE REQUEST";
  const auto* at = reinterpret_cast<const unsigned char*>(block->bytes.data());
  const unsigned char* const end = at + block->bytes.size();
  const Request request(d2i_X509_REQ(nullptr, &at, static_cast<long>(block->bytes.size())), X509_REQ_free);
  ERR_clear_error();
  if (!request || at != end) return DerComplaint(block->bytes);
  return SignatureComplaint(request.get());
}

std::string CertificatesComplaint(std::string_view pem) {
  if (pem.empty()) return {};
  PemReader reader(pem);
  int blocks = 0;
  for (auto block = reader.Next(); block; block = reader.Next(), ++blocks) {
    if (block->type != "CERTIFICATE") {
      return base::Cat("only CERTIFICATE PEM blocks are allowed, found ", api::Quote(block->type));
    }
    if (block->has_headers) return "no PEM block headers are permitted";
    if (block->bytes.empty()) return "found CERTIFICATE PEM block containing 0 certificates";
    if (std::string complaint = CertificateComplaint(block->bytes); !complaint.empty()) return complaint;
  }
  return blocks > 0 ? "" : "must contain at least one CERTIFICATE PEM block";
}

std::string AuthoritiesComplaint(std::string_view pem) {
  if (pem.empty()) return {};
  constexpr std::string_view kUnable = "unable to load root certificates: ";
  PemReader reader(pem);
  std::string first;
  bool any = false;
  for (auto block = reader.Next(); block; block = reader.Next()) {
    any = true;
    if (block->type != "CERTIFICATE" || block->has_headers) continue;
    const std::string complaint = CertificateComplaint(block->bytes);
    if (complaint.empty()) return {};
    if (first.empty()) first = complaint;
  }
  if (!first.empty()) return base::Cat(kUnable, "failed to parse certificate: ", first);
  return base::Cat(kUnable, any ? "no valid certificate authority data seen" : "unable to parse bytes as PEM block");
}

void CheckTrustBundle(Errors& errors, const FieldPath& path, std::string_view pem) {
  if (static_cast<int64_t>(pem.size()) > kMostBundleBytes) return errors.TooLong(path, kMostBundleBytes);
  PemReader reader(pem);
  std::vector<std::pair<std::string, std::string>> anchors;  // bytes, and where they stand: "0 2"
  const size_t before = errors.size();
  int entry = 0;
  for (auto block = reader.Next(); block; block = reader.Next(), ++entry) {
    if (const std::string complaint = EntryComplaint(*block); !complaint.empty()) {
      errors.Invalid(path, kOmitted, base::Cat("entry ", entry, " ", complaint));
      continue;
    }
    const auto same = std::ranges::find(anchors, block->bytes, &std::pair<std::string, std::string>::first);
    if (same == anchors.end()) {
      anchors.emplace_back(std::move(block->bytes), std::to_string(entry));
    } else {
      base::Append(same->second, " ", entry);
    }
  }
  if (errors.size() > before) return;
  if (anchors.empty()) errors.Invalid(path, kOmitted, "at least one trust anchor must be provided");
  for (const auto& [bytes, places] : anchors) {
    if (places.contains(' '))
      errors.Invalid(path, kOmitted, base::Cat("duplicate trust anchor (indices [", places, "])"));
  }
}

}  // namespace resources::certificates
