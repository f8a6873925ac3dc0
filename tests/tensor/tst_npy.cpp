#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "core/support/file.h"
#include "core/tensor/npy.h"
#include "core/tensor/safetensors.h"
#include "core/tensor/zip.h"

using namespace rx;

namespace {
std::string npyText(const std::string& header, const std::string& data) {
  std::string out("\x93NUMPY\x01\x00", 8);
  const auto length = static_cast<uint16_t>(header.size());
  out.append(reinterpret_cast<const char*>(&length), 2);
  return out + header + data;
}
}  // namespace

class NpyTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void roundTripsEveryType();
  void fortranAndBigEndian();
  void refusesBadFiles_data();
  void refusesBadFiles();
  void archivesRoundTrip_data();
  void archivesRoundTrip();
  void whatIsKeptIsNotCopied();
  void headersAlone();
  void damagedArchivesAreRefused();
  void everyByteOfAnArchiveIsOfAnEntry();
  void entriesAreLookedAtBeforeTheyAreInflated();
  void namesAreOfOneArray();
  void readsTheSamples();
};

void NpyTest::roundTripsEveryType() {
  for (const char* name : {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
                           "float32", "float64", "bfloat16", "float8_e4m3fn"}) {
    const DataType dtype = *DataType::parse(name);
    const std::vector<double> values = {0, 1, 1, 0, 1, 0};
    auto tensor = HostTensor::fromDoubles({2, 3}, dtype, values);
    QVERIFY(tensor.ok());
    auto bytes = npyBytes(**tensor);
    QVERIFY(bytes.ok());
    auto back = parseNpy(*bytes, dtype);
    QVERIFY2(back.ok(), name);
    QVERIFY((*back)->identical(**tensor));
  }
  auto empty = HostTensor::allocate({0, 3}, DataType::Float(32));
  QVERIFY((*parseNpy(*npyBytes(**empty)))->identical(**empty));
  QCOMPARE((*parseNpy(*npyBytes(*HostTensor::scalar(DataType::Float(64), 2.5))))->at(0), 2.5);
}

void NpyTest::fortranAndBigEndian() {
  const std::string data("\0\1\0\2\0\3\0\4\0\5\0\6", 12);
  auto tensor = parseNpy(npyText("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n", data));
  QVERIFY(tensor.ok());
  const std::vector<int64_t> expected = {1, 3, 5, 2, 4, 6};
  for (int64_t i = 0; i < 6; ++i) QCOMPARE((*tensor)->intAt(i), expected[static_cast<size_t>(i)]);
}

void NpyTest::refusesBadFiles_data() {
  QTest::addColumn<QByteArray>("header");
  QTest::addColumn<QString>("rule");
  QTest::newRow("objects") << QByteArray("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }") << "npy.dtype";
  QTest::newRow("object8") << QByteArray("{'descr': '|O8', 'fortran_order': False, 'shape': (2,), }") << "npy.dtype";
  QTest::newRow("complex") << QByteArray("{'descr': '<c8', 'fortran_order': False, 'shape': (2,), }") << "npy.dtype";
  QTest::newRow("unnamed") << QByteArray("{'descr': '<V1', 'fortran_order': False, 'shape': (2,), }") << "npy.dtype";
  QTest::newRow("record") << QByteArray("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }")
                          << "npy.header";
  QTest::newRow("negative") << QByteArray("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }") << "npy.header";
  QTest::newRow("too large") << QByteArray("{'descr': '<f4', 'fortran_order': False, 'shape': (1000,), }")
                             << "npy.size";
  QTest::newRow("a rest") << QByteArray("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }") << "npy.size";
  QTest::newRow("overflow")
      << QByteArray("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4611686018427387904), }")
      << "npy.size";
  QTest::newRow("key twice") << QByteArray("{'descr': '<f4', 'descr': '<f4', 'shape': (1,), }") << "npy.header";
  QTest::newRow("no shape") << QByteArray("{'descr': '<f4', 'fortran_order': False}") << "npy.header";
  QTest::newRow("cut") << QByteArray("{'descr': '<f4', 'fort") << "npy.header";
}

void NpyTest::refusesBadFiles() {
  QFETCH(QByteArray, header);
  QFETCH(QString, rule);
  auto result = parseNpy(npyText(header.toStdString(), "12345678"));
  QVERIFY(!result.ok());
  QCOMPARE(QString::fromStdString(result.diagnostics()[0].rule), rule);
}

void NpyTest::archivesRoundTrip_data() {
  QTest::addColumn<bool>("compress");
  QTest::newRow("stored") << false;
  QTest::newRow("deflated") << true;
}

void NpyTest::archivesRoundTrip() {
  QFETCH(bool, compress);
  QTemporaryDir folder;
  const std::string path = folder.filePath("a.npz").toStdString();
  auto large = HostTensor::allocate({300, 700}, DataType::Float(32));
  for (int64_t i = 0; i < 1000; ++i) (*large)->set(i * 7, std::sin(static_cast<double>(i)));
  const std::vector<NamedTensor> tensors = {{"p_0", *large}, {"x", HostTensor::scalar(DataType::Int(64), 4)}};
  QVERIFY(writeNpz(path, tensors, compress).ok());
  auto back = readNpz(path);
  QVERIFY(back.ok());
  QCOMPARE(back->size(), size_t{2});
  QCOMPARE((*back)[0].first, std::string("p_0"));
  QVERIFY((*back)[0].second->identical(**large));
  QVERIFY(!writeNpz(path, {tensors[0], tensors[0]}).ok());
}

/// Elements that lie in the bytes as they are needed are referred to, not copied; others are copied.
void NpyTest::whatIsKeptIsNotCopied() {
  auto tensor = HostTensor::allocate({4, 4}, DataType::Float(32));
  (*tensor)->set(5, 2.5);
  const auto lies = [](const Ref<HostTensor>& t, const std::string& bytes) {
    const char* data = reinterpret_cast<const char*>(t->data());
    return data >= bytes.data() && data < bytes.data() + bytes.size();
  };
  const auto kept = std::make_shared<const std::string>(*npyBytes(**tensor));
  const auto view = parseNpy(*kept, DataType::Void(), kept);
  QVERIFY(view.ok() && lies(*view, *kept) && (*view)->identical(**tensor) && !(*view)->storage()->writable());
  const auto copy = parseNpy(*kept);
  QVERIFY(copy.ok() && !lies(*copy, *kept) && (*copy)->storage()->writable());
  const auto turned = std::make_shared<const std::string>(
      npyText("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2), }\n", "abcdefgh"));
  QVERIFY(!lies(*parseNpy(*turned, DataType::Void(), turned), *turned));
  QTemporaryDir folder;
  const std::string path = folder.filePath("a.npz").toStdString();
  QVERIFY(writeNpz(path, {{"a", *tensor}}, false).ok());
  const auto archive = std::make_shared<const std::string>(*readFile(path));
  const auto arrays = parseNpz(*archive, archive);
  QVERIFY(arrays.ok() && (*arrays)[0].second->identical(**tensor));
  // Where a type may not lie as it does, the copy knows what it is a copy of; one of other bytes knows nothing.
  for (size_t shift = 0; shift < 4; ++shift) {
    const auto moved = std::make_shared<const std::string>(std::string(shift, ' ') + *kept);
    const auto shifted = parseNpy(std::string_view(*moved).substr(shift), DataType::Void(), moved);
    QVERIFY(shifted.ok() && (*shifted)->identical(**tensor) && !(*shifted)->storage()->writable());
    QCOMPARE(lies(*shifted, *moved), shift == 0);
    QVERIFY((*shifted)->storage()->source().data() ==
            reinterpret_cast<const std::byte*>(moved->data() + moved->size() - 64));
    QVERIFY((*shifted)->storage()->makeWritable(std::make_shared<StorageArena>(INT64_MAX)).ok());
    QVERIFY((*shifted)->identical(**tensor));
    QVERIFY((*shifted)->storage()->source().data() == (*shifted)->data());
  }
  QVERIFY((*copy)->storage()->source().data() == (*copy)->data());
}

/// Names, types and shapes, of stored and of compressed arrays; a file without them is refused.
void NpyTest::headersAlone() {
  QTemporaryDir folder;
  auto large = HostTensor::allocate({300, 700}, DataType::Float(16));
  const std::vector<NamedTensor> tensors = {{"w", *large}, {"n", HostTensor::scalar(DataType::Int(64), 4)}};
  for (const bool compress : {false, true}) {
    const std::string path = folder.filePath("a.npz").toStdString();
    QVERIFY(writeNpz(path, tensors, compress).ok());
    const auto headers = arrayHeaders(path);
    QVERIFY(headers.ok() && headers->size() == 2);
    QCOMPARE((*headers)[0].name, std::string("w"));
    QVERIFY((*headers)[0].dtype == DataType::Float(16) && (*headers)[0].shape == std::vector<int64_t>({300, 700}));
    QVERIFY((*headers)[1].shape.empty());
  }
  const std::string npy = folder.filePath("a.npy").toStdString();
  QVERIFY(writeNpy(npy, **large).ok());
  const auto one = arrayHeaders(npy);
  QVERIFY(one.ok() && one->size() == 1 && (*one)[0].name.empty() && (*one)[0].shape[0] == 300);
  const std::string safetensors = folder.filePath("a.safetensors").toStdString();
  QVERIFY(writeSafetensors(safetensors, tensors).ok());
  QCOMPARE(arrayHeaders(safetensors)->size(), size_t{2});
  QVERIFY(writeFile(npy, "no array").ok());
  QCOMPARE(arrayHeaders(npy).diagnostics()[0].rule, std::string("npy.header"));
  QVERIFY(!arrayHeaders(folder.filePath("none.npz").toStdString()).ok());
}

void NpyTest::damagedArchivesAreRefused() {
  QTemporaryDir folder;
  const std::string path = folder.filePath("a.npz").toStdString();
  auto tensor = HostTensor::allocate({64}, DataType::Float(32));
  for (bool compress : {false, true}) {
    QVERIFY(writeNpz(path, {{"a", *tensor}, {"b", *tensor}}, compress).ok());
    const std::string whole = *readFile(path);
    for (size_t cut = 0; cut < whole.size(); ++cut) QVERIFY(!parseNpz(std::string_view(whole).substr(0, cut)).ok());
    for (size_t at = 0; at < whole.size(); ++at) {
      for (const char flip : {'\x01', '\x80', '\xff'}) {
        std::string broken = whole;
        broken[at] ^= flip;
        auto result = parseNpz(broken);  // any answer but a crash
        QVERIFY(result.ok() || !result.diagnostics().empty());
      }
    }
  }
}

namespace {

/// An archive of entries with any names and content.
std::string archiveOf(const std::vector<ZipEntry>& entries, bool compress = false) {
  return *zipBytes(entries, compress);
}
std::string ruleOfArchive(const std::string& bytes) {
  const auto read = parseNpz(bytes);
  return read ? std::string() : read.diagnostics()[0].rule;
}
std::string array(int64_t count) { return *npyBytes(**HostTensor::allocate({count}, DataType::UInt(8))); }

}  // namespace

void NpyTest::everyByteOfAnArchiveIsOfAnEntry() {
  const std::string whole = archiveOf({{"a.npy", array(3)}, {"b.npy", array(5)}});
  QCOMPARE(ruleOfArchive(whole), std::string());
  QCOMPARE(ruleOfArchive(whole + "x"), std::string("npz.zip"));
  QCOMPARE(ruleOfArchive("x" + whole), std::string("npz.zip"));
  // The directory names the second entry twice, or the first one not at all: bytes that two have, or none.
  const size_t first = whole.find("PK\x01\x02"), second = whole.find("PK\x01\x02", first + 4);
  const size_t end = whole.find("PK\x06\x06");
  QVERIFY(first != second && second < end && end != std::string::npos);
  std::string twice = whole;
  twice.replace(first, second - first, whole.substr(second, end - second));
  QCOMPARE(ruleOfArchive(twice), std::string("npz.zip"));
  std::string other = whole;
  other[whole.find("a.npy")] = 'c';  // in its own header alone
  QCOMPARE(ruleOfArchive(other), std::string("npz.zip"));
}

void NpyTest::entriesAreLookedAtBeforeTheyAreInflated() {
  // A header of four elements, and a megabyte behind it.
  const std::string small = array(4);
  QCOMPARE(ruleOfArchive(archiveOf({{"a.npy", small + std::string(1 << 20, '\0')}}, true)), std::string("npy.size"));
  QCOMPARE(ruleOfArchive(archiveOf({{"a.npy", "no array" + std::string(1 << 20, '\0')}}, true)),
           std::string("npy.header"));
  QCOMPARE(ruleOfArchive(archiveOf({{"a.npy", small}}, true)), std::string());
  // More than any machine has, and what deflate could make of so many bytes.
  std::string bomb = archiveOf({{"a.npy", array(1 << 22)}}, true);
  const uint64_t claimed = uint64_t{1} << 60, real = array(1 << 22).size();
  for (size_t at = bomb.find(std::string(reinterpret_cast<const char*>(&real), 8)); at != std::string::npos;
       at = bomb.find(std::string(reinterpret_cast<const char*>(&real), 8), at + 8))
    bomb.replace(at, 8, reinterpret_cast<const char*>(&claimed), 8);
  QCOMPARE(ruleOfArchive(bomb), std::string("npz.size"));
}

void NpyTest::namesAreOfOneArray() {
  QCOMPARE(ruleOfArchive(archiveOf({{"a.npy", array(1)}, {"a.npy", array(2)}})), std::string("npz.name"));
  QCOMPARE(ruleOfArchive(archiveOf({{"a.npy", array(1)}, {"a", array(2)}})), std::string("npz.name"));
  QTemporaryDir folder;
  const std::string path = folder.filePath("a.npz").toStdString();
  QVERIFY(writeFile(path, archiveOf({{"a.npy", array(1)}, {"a.npy", array(2)}})));
  QCOMPARE(arrayHeaders(path).diagnostics()[0].rule, std::string("npz.name"));
  for (const char* name : {"%s", "\n", "\xf0\x9f\x98\x80", "\xff", "../x", "/x"}) {
    QVERIFY(writeNpz(path, {{name, *HostTensor::allocate({1}, DataType::Int(8))}}));
    QCOMPARE(readNpz(path)->front().first, std::string(name));
  }
}

void NpyTest::readsTheSamples() {
  auto result = readNpz(RX_SOURCE_DIR "/samples/mlp/params.npz");
  QVERIFY(result.ok());
  QCOMPARE(result->size(), size_t{4});
}

QTEST_APPLESS_MAIN(NpyTest)
#include "tst_npy.moc"
